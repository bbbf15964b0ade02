"use strict";
// Draws what `scene` holds: the program that wrote this page has computed all poses.
(() => {
  const data = JSON.parse(document.getElementById("scene").textContent);
  const $ = (id) => document.getElementById(id);
  let canvas = $("view");
  const play = $("play"), seek = $("seek"), speed = $("speed"), clock = $("clock"), loop = $("loop"), follow = $("follow"), bodies = $("bodies");
  const end = data.time[data.time.length - 1];
  const size = Math.max(...data.upper.map((x, k) => x - data.lower[k]), 0.1);
  const center = data.upper.map((x, k) => 0.5 * (x + data.lower[k]));
  // A link is as thick as suits the robot, not its way.
  const reach = data.links.flatMap((l) => l.segments).reduce((s, p) => s + Math.hypot(p[3] - p[0], p[4] - p[1], p[5] - p[2]), 0);
  const radius = Math.min(0.02 * size, Math.max(0.008 * reach, 0.002 * size));
  // The robot's weight is as long as the robot is large; what is much more is cut.
  const body = Math.min(size, 0.35 * reach);
  const forceScale = data.weight > 0 ? body / data.weight : 0;
  // Thrusters share the weight: each is drawn as if it bore all of it.
  const thrustScale = forceScale * Math.max(1, ...data.thrusts.map((all) => all.length));
  // A link is not thicker than its own body: fingers are thinner than legs.
  const thickness = data.links.map(({ solid }) => (solid ? Math.min(radius, Math.max(0.45 * [...solid.half].sort((a, b) => a - b)[1], 0.15 * radius)) : 0.5 * radius));
  let second = data.beside;

  // The node before a time, and how far it is to the next one.
  const find = (t, time = data.time) => {
    let a = 0, b = time.length - 1;
    while (b - a > 1) {
      const m = (a + b) >> 1;
      if (time[m] <= t) a = m; else b = m;
    }
    const d = time[b] - time[a];
    return { a, b, s: d > 0 ? Math.min(1, Math.max(0, (t - time[a]) / d)) : 0 };
  };
  const posesAt = (motion, t) => {
    const { a, b, s } = find(t, motion.time);
    return motion.poses[a].map((p, k) => between(p, motion.poses[b][k], s));
  };
  const mix = (p, q, s) => p.map((x, k) => x + s * (q[k] - x));
  // Between two poses: straight, and along the shorter arc, which short steps make nearly a line.
  const between = (p, q, s) => {
    const dot = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6];
    const out = mix(p, dot < 0 ? q.map((x, k) => (k < 3 ? x : -x)) : q, s);
    const n = Math.hypot(out[3], out[4], out[5], out[6]) || 1;
    for (let k = 3; k < 7; k++) out[k] /= n;
    return out;
  };
  // Of contacts and of thrusters.
  const forcesAt = (node) => {
    const of = (all) => all[Math.min(node, all.length - 1)] || [];
    return [...of(data.forces), ...of(data.thrusts).map((x) => ({ ...x, thrust: true }))];
  };
  const goalAt = (target, t) => {
    let k = 0;
    while (k + 1 < target.time.length && target.time[k + 1] <= t) k++;
    return target.goals[k];
  };
  const rotate = ([x, y, z], [, , , qx, qy, qz, qw]) => {
    const cx = qy * z - qz * y + qw * x, cy = qz * x - qx * z + qw * y, cz = qx * y - qy * x + qw * z;
    return [x + 2 * (qy * cz - qz * cy), y + 2 * (qz * cx - qx * cz), z + 2 * (qx * cy - qy * cx)];
  };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const colors = { link: dark ? "#8fb7da" : "#41617f", body: dark ? "#5d7f9c" : "#8aa5bd", joint: dark ? "#dfe7ee" : "#24303a", beside: dark ? "#f0a45c" : "#b3641a", thrust: "#1d9bb3", mass: "#c0508f", pressure: "#8f1f12", force: "#d9482b", target: "#2f9e5b", path: "#8a6fc9", grid: dark ? "#39424a" : "#c4ccd2", capsule: "#d99a2b" };

  // In three dimensions.
  const solid = () => {
    const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    canvas.addEventListener("wheel", (e) => {
      // Without Ctrl, a wheel scrolls the page.
      if (!e.ctrlKey && !e.metaKey) e.stopImmediatePropagation();
    });
    renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    const scene = new THREE.Scene();
    const camera = new THREE.PerspectiveCamera(40, 1, 0.01 * size, 100 * size);
    camera.up.set(0, 0, 1);
    const controls = new THREE.OrbitControls(camera, canvas);
    controls.target.set(...center);
    // One finger up or down scrolls the page, too; two come near.
    canvas.style.touchAction = "pan-y";
    const sun = new THREE.DirectionalLight(0xffffff, 2.2);
    sun.position.set(1, -2, 4);
    scene.add(new THREE.HemisphereLight(0xffffff, 0x77818a, 1.6), sun);
    const step = 10 ** Math.round(Math.log10(size / 5));
    const cells = 2 * Math.ceil((0.8 * size) / step);
    const grid = new THREE.GridHelper(cells * step, cells, colors.grid, colors.grid);
    grid.rotation.x = Math.PI / 2;
    grid.position.set(Math.round(center[0] / step) * step, Math.round(center[1] / step) * step, Math.min(0, data.lower[2]));
    scene.add(grid);
    const link = new THREE.MeshStandardMaterial({ color: colors.link, roughness: 0.55 });
    const joint = new THREE.MeshStandardMaterial({ color: colors.joint, roughness: 0.45 });
    const ball = new THREE.SphereGeometry(1, 20, 14);
    const flesh = new THREE.MeshStandardMaterial({ color: colors.body, roughness: 0.7 });
    const solids = [];
    // Groups of links, in colors of bones, joints, and bodies.
    const robot = (bone, joint, flesh) => data.links.map((l, k) => {
      const group = new THREE.Group(), radius = thickness[k];
      for (const [x0, y0, z0, x1, y1, z1] of l.segments) {
        const from = new THREE.Vector3(x0, y0, z0), to = new THREE.Vector3(x1, y1, z1);
        const way = to.clone().sub(from), length = way.length();
        const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(radius, length, 6, 14), bone);
        mesh.position.copy(from).addScaledVector(way, 0.5);
        mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
        group.add(mesh);
      }
      if (k > 0) {
        const mesh = new THREE.Mesh(ball, joint);
        mesh.scale.setScalar(1.35 * radius);
        group.add(mesh);
      }
      if (l.solid) {
        const mesh = new THREE.Mesh(ball, flesh), p = l.solid.pose;
        mesh.scale.set(...l.solid.half);
        mesh.position.set(p[0], p[1], p[2]);
        mesh.quaternion.set(p[3], p[4], p[5], p[6]);
        group.add(mesh);
        solids.push(mesh);
      }
      scene.add(group);
      return group;
    });
    const groups = robot(link, joint, flesh);
    const ghost = new THREE.MeshStandardMaterial({ color: colors.beside, transparent: true, opacity: 0.55, roughness: 0.7, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    let others = null;
    const move = (groups, poses) => groups.forEach((group, k) => {
      const p = poses[k];
      group.position.set(p[0], p[1], p[2]);
      group.quaternion.set(p[3], p[4], p[5], p[6]);
    });
    const mark = (color, size) => {
      const mesh = new THREE.Mesh(ball, new THREE.MeshStandardMaterial({ color, roughness: 0.5, depthTest: false, transparent: true, opacity: 0.9 }));
      mesh.scale.setScalar(size);
      mesh.renderOrder = 2;
      scene.add(mesh);
      return mesh;
    };
    const dotted = Math.min(0.016 * size, 0.06 * body);
    const mass = mark(colors.mass, dotted), pressure = mark(colors.pressure, dotted);
    const glass = new THREE.MeshStandardMaterial({ color: colors.capsule, transparent: true, opacity: 0.35 });
    data.capsules.forEach((capsule) => {
      const from = new THREE.Vector3(...capsule.from), way = new THREE.Vector3(...capsule.to).sub(from), length = way.length();
      const mesh = new THREE.Mesh(length > 0 ? new THREE.CapsuleGeometry(capsule.radius, length, 8, 20) : new THREE.SphereGeometry(capsule.radius, 20, 14), glass);
      mesh.position.copy(from).addScaledVector(way, 0.5);
      if (length > 0) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
      groups[capsule.link].add(mesh);
    });
    const goals = data.targets.map((target) => {
      const group = new THREE.Group();
      group.add(new THREE.Mesh(new THREE.SphereGeometry(1.6 * radius, 20, 14), new THREE.MeshStandardMaterial({ color: colors.target, transparent: true, opacity: 0.6 })));
      if (target.turned) group.add(new THREE.AxesHelper(8 * radius));
      scene.add(group);
      for (const [points, color] of [[target.path, colors.path], [target.goals, colors.target]]) {
        if (points.length < 2) continue;
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.Float32BufferAttribute(points.flatMap((p) => p.slice(0, 3)), 3));
        scene.add(new THREE.Line(geometry, new THREE.LineBasicMaterial({ color })));
      }
      return group;
    });
    const red = new THREE.MeshStandardMaterial({ color: colors.force, roughness: 0.6 });
    const blue = new THREE.MeshStandardMaterial({ color: colors.thrust, roughness: 0.6 });
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 12), head = new THREE.ConeGeometry(1, 1, 16);
    const arrows = [];
    // Along y, from the origin.
    const arrow = (k) => {
      while (arrows.length <= k) {
        const group = new THREE.Group();
        group.add(new THREE.Mesh(shaft, red), new THREE.Mesh(head, red));
        scene.add(group);
        arrows.push(group);
      }
      return arrows[k];
    };
    let aspect = 0, mine = false, before = null;
    controls.addEventListener("start", () => (mine = true));
    const d = new THREE.Vector3(0.55, -0.78, 0.32).normalize();
    // As near as all points are seen, from the front, the right and above.
    const frame = (all, slack) => {
      const finite = all.filter((p) => p.slice(0, 3).every(Number.isFinite));
      const points = finite.length ? finite : [data.lower, data.upper];
      const right = new THREE.Vector3(0, 0, 1).cross(d).normalize(), above = d.clone().cross(right);
      const high = Math.tan((0.5 * camera.fov * Math.PI) / 180), wide = high * camera.aspect;
      const parts = points.map((p) => [right, above, d].map((axis) => axis.x * p[0] + axis.y * p[1] + axis.z * p[2]));
      const ends = [0, 1, 2].map((k) => parts.reduce(([low, top], p) => [Math.min(low, p[k]), Math.max(top, p[k])], [Infinity, -Infinity]));
      const [r, u, f] = ends.map(([low, top]) => 0.5 * (low + top));
      const away = parts.reduce((most, p) => Math.max(most, p[2] - f + 1.05 * Math.max((Math.abs(p[0] - r) + slack) / wide, (Math.abs(p[1] - u) + slack) / high)), 0);
      controls.target.set(0, 0, 0).addScaledVector(right, r).addScaledVector(above, u).addScaledVector(d, f);
      camera.position.copy(controls.target).addScaledVector(d, away);
      controls.update();
      // How much of half the picture the robot takes, across and up.
      camera.updateMatrixWorld();
      const seen = points.map((p) => new THREE.Vector3(...p.slice(0, 3)).project(camera));
      document.documentElement.dataset.taken = ["x", "y"].map((k) => Math.max(...seen.map((p) => Math.abs(p[k]))).toFixed(3)).join(" ");
    };
    // Ends of links and of bodies in some poses.
    const ends = (poses) => poses.flatMap((p, k) => {
      const { segments, solid } = data.links[k], local = segments.map((s) => s.slice(3));
      if (k > 0) local.push([0, 0, 0]);
      if (solid) [-1, 1].forEach((by) => solid.half.forEach((h, i) => {
        const tip = rotate([0, 1, 2].map((j) => (i === j ? by * h : 0)), solid.pose);
        local.push(tip.map((x, j) => x + solid.pose[j]));
      }));
      return local.map((x) => rotate(x, p).map((y, i) => y + p[i]));
    });
    const whole = () => [...data.poses, ...(second ? second.poses : [])].flatMap(ends).concat(data.targets.flatMap((x) => x.goals), data.capsules.filter((c) => c.link === 0).flatMap((c) => [c.from, c.to]));
    // What goes far is followed: else it would be small.
    const span = (points) => Math.hypot(...[0, 1, 2].map((k) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k]))));
    const here = ends(data.poses[0]);
    follow.checked = here.length > 1 && size > 4 * span(here);
    const middleAt = (t) => {
      if (!data.com.length) return new THREE.Vector3(...posesAt(data, t)[Math.min(1, data.links.length - 1)]);
      const { a, b, s } = find(t);
      return new THREE.Vector3(...mix(data.com[a], data.com[b], s));
    };
    follow.addEventListener("change", () => {
      mine = false;
      before = null;
      aspect = 0;
      request();
    });
    const fit = (t) => {
      const w = canvas.clientWidth, h = canvas.clientHeight;
      if (!w || !h || (canvas.width === Math.floor(w * renderer.getPixelRatio()) && aspect === w / h)) return;
      renderer.setSize(w, h, false);
      aspect = w / h;
      camera.aspect = aspect;
      camera.updateProjectionMatrix();
      if (!mine) follow.checked ? frame(ends(posesAt(data, t)), 0.4 * body) : frame(whole(), 4 * radius);
    };
    const draw = (t) => {
      fit(t);
      if (follow.checked) {
        const now = middleAt(t);
        if (before) {
          const way = now.clone().sub(before);
          camera.position.add(way);
          controls.target.add(way);
        }
        before = now;
      }
      const { a, b, s } = find(t);
      move(groups, posesAt(data, t));
      if (second) {
        others = others || robot(ghost, ghost, ghost);
        move(others, posesAt(second, t));
      }
      solids.forEach((mesh) => (mesh.visible = bodies.checked));
      mass.visible = data.com.length > 0;
      if (mass.visible) mass.position.set(...mix(data.com[a], data.com[b], s));
      const pressed = data.pressure[Math.min(a, data.pressure.length - 1)];
      pressure.visible = Boolean(pressed);
      if (pressed) pressure.position.set(...pressed);
      data.targets.forEach((target, k) => {
        const p = goalAt(target, t);
        goals[k].position.set(p[0], p[1], p[2]);
        goals[k].quaternion.set(p[3], p[4], p[5], p[6]);
      });
      arrows.forEach((x) => (x.visible = false));
      forcesAt(a).forEach(({ at, force, thrust }, k) => {
        const way = new THREE.Vector3(...force), length = Math.min(way.length() * (thrust ? thrustScale : forceScale), 1.5 * body);
        if (length < radius) return;
        const x = arrow(k), tip = Math.min(3.5 * radius, 0.5 * length);
        x.visible = true;
        x.children.forEach((mesh) => (mesh.material = thrust ? blue : red));
        x.position.set(...at);
        x.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
        x.children[0].scale.set(0.5 * radius, length - tip, 0.5 * radius);
        x.children[0].position.y = 0.5 * (length - tip);
        x.children[1].scale.set(1.3 * radius, tip, 1.3 * radius);
        x.children[1].position.y = length - 0.5 * tip;
      });
      controls.update();
      renderer.render(scene, camera);
    };
    controls.addEventListener("change", () => request());
    return draw;
  };

  // Without WebGL: an orthographic view that can be turned.
  const flat = () => {
    $("fallback").hidden = false;
    [follow, bodies].forEach((box) => (box.parentNode.hidden = true));
    const g = canvas.getContext("2d");
    let yaw = -0.6, tilt = 0.3;
    canvas.addEventListener("pointermove", (e) => {
      if (!e.buttons) return;
      yaw += 0.01 * e.movementX;
      tilt = Math.max(-1.5, Math.min(1.5, tilt + 0.01 * e.movementY));
      request();
    });
    return (t) => {
      const ratio = Math.min(devicePixelRatio || 1, 2);
      const w = (canvas.width = canvas.clientWidth * ratio), h = (canvas.height = canvas.clientHeight * ratio);
      const zoom = (0.8 * Math.min(w, h)) / Math.hypot(...data.upper.map((x, k) => x - data.lower[k]), 0.1);
      const see = (p) => {
        const [x, y, z] = p.slice(0, 3).map((c, k) => c - center[k]);
        const right = x * Math.cos(yaw) - y * Math.sin(yaw), away = x * Math.sin(yaw) + y * Math.cos(yaw);
        return [0.5 * w + zoom * right, 0.5 * h - zoom * (z * Math.cos(tilt) + away * Math.sin(tilt))];
      };
      const stroke = (points, color, width) => {
        g.beginPath();
        points.forEach((p, k) => g[k ? "lineTo" : "moveTo"](...see(p)));
        Object.assign(g, { strokeStyle: color, lineWidth: width, lineCap: "round", lineJoin: "round" });
        g.stroke();
      };
      const dot = (p, color, r) => {
        g.beginPath();
        g.arc(...see(p), r, 0, 7);
        g.fillStyle = color;
        g.fill();
      };
      g.clearRect(0, 0, w, h);
      data.targets.forEach((target) => {
        stroke(target.path, colors.path, ratio);
        dot(goalAt(target, t), colors.target, 5 * ratio);
      });
      const { a, b, s } = find(t);
      if (second) {
        posesAt(second, t).forEach((pose, k) => data.links[k].segments.forEach((q) => {
          const world = (p) => rotate(p, pose).map((x, i) => x + pose[i]);
          stroke([world(q.slice(0, 3)), world(q.slice(3))], `${colors.beside}8c`, Math.max(2 * ratio, 2 * thickness[k] * zoom));
        }));
      }
      const poses = posesAt(data, t);
      data.links.forEach((l, k) => {
        const pose = poses[k];
        const world = (p) => rotate(p, pose).map((x, i) => x + pose[i]);
        l.segments.forEach((q) => stroke([world(q.slice(0, 3)), world(q.slice(3))], colors.link, Math.max(2 * ratio, 2 * thickness[k] * zoom)));
        data.capsules.forEach((c) => {
          if (c.link === k) stroke([world(c.from), world(c.to)], `${colors.capsule}59`, Math.max(2 * ratio, 2 * c.radius * zoom));
        });
        if (k > 0) dot(pose, colors.joint, Math.max(2.5 * ratio, 1.3 * thickness[k] * zoom));
      });
      forcesAt(a).forEach(({ at, force, thrust }) => {
        stroke([at, at.map((x, k) => x + (thrust ? thrustScale : forceScale) * force[k])], thrust ? colors.thrust : colors.force, 2 * ratio);
      });
      if (data.com.length) dot(mix(data.com[a], data.com[b], s), colors.mass, 4 * ratio);
      const pressed = data.pressure[Math.min(a, data.pressure.length - 1)];
      if (pressed) dot(pressed, colors.pressure, 4 * ratio);
    };
  };

  // A canvas that has had one kind of graphics takes no other: the flat picture has a new one.
  const flatten = () => {
    const fresh = canvas.cloneNode();
    canvas.replaceWith(fresh);
    canvas = fresh;
    return flat();
  };
  const webgl = () => {
    try {
      const gl = document.createElement("canvas").getContext("webgl2");
      return Boolean(gl && gl.getParameter(gl.VERSION));
    } catch {
      return false;
    }
  };
  // Graphics that were promised may still not be there, or be lost.
  const begin = () => {
    if (!webgl()) return flat();
    try {
      return solid();
    } catch {
      return flatten();
    }
  };
  let draw = begin();
  canvas.addEventListener("webglcontextlost", () => {
    draw = flatten();
    request();
  });
  const pictures = [...document.querySelectorAll("svg[data-from]")].map((svg) => {
    const [from, to, left, right] = ["from", "to", "left", "right"].map((k) => Number(svg.dataset[k]));
    return { svg, now: svg.querySelector(".now"), at: (t) => left + ((t - from) / (to - from)) * (right - left), back: (x) => from + ((x - left) / (right - left)) * (to - from) };
  });

  let t = 0, playing = false, before = 0, pending = false, frames = 0;
  const show = () => {
    draw(t);
    const { a } = find(t);
    clock.textContent = `${t.toFixed(3)} s, ${data.phase[t >= end ? data.phase.length - 1 : a]}`;
    seek.value = String(end > 0 ? Math.round((1000 * t) / end) : 0);
    pictures.forEach(({ now, at }) => {
      now.setAttribute("visibility", "visible");
      now.setAttribute("transform", `translate(${at(t).toFixed(1)} 0)`);
    });
    document.documentElement.dataset.frames = String(++frames);
    document.documentElement.dataset.time = t.toFixed(4);
  };
  const tick = (stamp) => {
    pending = false;
    if (playing) {
      // A page that was asleep goes on where it was.
      t += Number(speed.value) * Math.min(0.1, Math.max(0, (stamp - before) / 1000));
      before = stamp;
      if (t >= end && loop.checked && end > 0) t %= end;
      else if (t >= end) {
        t = end;
        pause();
      }
    }
    show();
    if (playing) request();
  };
  const request = () => {
    if (!pending) {
      pending = true;
      requestAnimationFrame(tick);
    }
  };
  const pause = () => {
    playing = false;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (playing) return pause();
    if (t >= end) t = 0;
    playing = true;
    before = performance.now();
    play.textContent = "Pause";
    request();
  });
  seek.addEventListener("input", () => {
    pause();
    t = (end * Number(seek.value)) / 1000;
    request();
  });
  addEventListener("resize", request);
  bodies.addEventListener("change", request);

  // Values at the pointer: of each line, at the vertex that is nearest.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const drawn = (tag, attributes, svg) => {
    const element = document.createElementNS(svg.namespaceURI, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    svg.append(element);
    return element;
  };
  let shown = [];
  const leave = () => {
    tip.hidden = true;
    shown.forEach((element) => element.remove());
    shown = [];
  };
  document.querySelectorAll("figure svg").forEach((svg) => {
    const paths = [...svg.querySelectorAll("path[data-y]")];
    if (!paths.length) return;
    svg.classList.add("valued");
    let lines = null;
    const read = () => paths.map((path) => ({
      name: path.dataset.name,
      points: [...path.getAttribute("d").matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]),
      x: path.dataset.x?.split(" "),
      y: path.dataset.y.split(" "),
    }));
    const picture = pictures.find((of) => of.svg === svg);
    // The time of the node that is drawn here.
    const timeAt = (x) => {
      const time = [data.time, second ? second.time : []].flat().reduce((a, b) => (Math.abs(picture.at(b) - x) < Math.abs(picture.at(a) - x) ? b : a));
      return Number(time.toPrecision(5));
    };
    const place = (e) => ((e.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width) * svg.viewBox.baseVal.width;
    const point = (e) => {
      leave();
      lines = lines || read();
      const at = place(e);
      const nearest = lines.map((line) => {
        let best = 0;
        line.points.forEach(([x], k) => {
          if (Math.abs(x - at) <= Math.abs(line.points[best][0] - at)) best = k;
        });
        return best;
      });
      const first = lines.reduce((a, line, k) => (Math.abs(line.points[nearest[k]][0] - at) < Math.abs(lines[a].points[nearest[a]][0] - at) ? k : a), 0);
      const x = lines[first].points[nearest[first]][0], field = svg.querySelector(".field");
      const top = Number(field.getAttribute("y")), bottom = top + Number(field.getAttribute("height"));
      shown.push(drawn("path", { class: "at", d: `M${x} ${top}V${bottom}` }, svg));
      const texts = [lines[first].x ? lines[first].x[nearest[first]] : `${timeAt(x)} s`];
      lines.forEach((line, k) => {
        const [px, py] = line.points[nearest[k]];
        // Lines may end earlier than others.
        if (Math.abs(px - x) > 12) return;
        shown.push(drawn("circle", { class: "near", cx: px, cy: py, r: 3 }, svg));
        texts.push(`${line.name}: ${line.y[nearest[k]]}`);
      });
      tip.textContent = texts.join("\n");
      tip.hidden = false;
      const { clientWidth, clientHeight } = document.documentElement, { width, height } = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(e.clientX + 14, clientWidth - width - 4))}px`;
      tip.style.top = `${Math.max(4, e.clientY + 14 + height > clientHeight ? e.clientY - height - 14 : e.clientY + 14)}px`;
    };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("pointercancel", leave);
    if (picture) svg.addEventListener("click", (e) => {
      pause();
      t = Math.min(end, Math.max(0, picture.back(place(e))));
      request();
    });
  });

  // The picture as it is, on paper.
  $("snapshot").addEventListener("click", () => {
    show();
    const copy = document.createElement("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const g = copy.getContext("2d");
    g.fillStyle = getComputedStyle(document.body).backgroundColor;
    g.fillRect(0, 0, copy.width, copy.height);
    g.drawImage(canvas, 0, 0);
    const link = document.createElement("a");
    link.download = `${document.title.replace(/^gradyn optimize: /, "").replace(/[^\p{L}\p{N}]+/gu, "_")}_${t.toFixed(3)}s.png`;
    link.href = copy.toDataURL("image/png");
    link.click();
  });

  // A second motion, of another page of the same robot.
  const say = (text) => {
    $("said").textContent = text;
    $("said").hidden = false;
  };
  $("other").addEventListener("change", async (e) => {
    const file = e.target.files[0];
    if (!file) return;
    try {
      const found = new DOMParser().parseFromString(await file.text(), "text/html").getElementById("scene");
      if (!found) return say(`${file.name}: it is no page of gradyn optimize.`);
      const other = JSON.parse(found.textContent);
      const odd = data.links.findIndex((l, k) => !other.links[k] || other.links[k].name !== l.name);
      if (odd >= 0 || other.links.length !== data.links.length) {
        const k = odd >= 0 ? odd : data.links.length;
        const name = (of) => (of.links[k] ? `\u201c${of.links[k].name}\u201d` : "none");
        return say(`${file.name}: it has another robot: link ${k} is ${name(other)}, expected ${name(data)}.`);
      }
      second = { name: file.name, time: other.time, poses: other.poses };
      const key = document.createElement("span"), swatch = document.createElement("span");
      key.id = "key-of-second";
      swatch.className = "swatch beside";
      key.append(swatch, ` ${file.name}`);
      $("key-of-second")?.remove();
      document.querySelector("#legend .beside")?.parentNode.remove();
      $("legend").append(key);
      $("said").hidden = true;
      request();
    } catch (error) {
      say(`${file.name}: ${error.message}`);
    }
  });
  request();
})();
