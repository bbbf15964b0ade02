"use strict";
// Draws what `scene` holds: the program that wrote this page has computed all poses.
(() => {
  const data = JSON.parse(document.getElementById("scene").textContent);
  const $ = (id) => document.getElementById(id);
  let canvas = $("view");
  const play = $("play"), seek = $("seek"), speed = $("speed"), clock = $("clock");
  const end = data.time[data.time.length - 1];
  const size = Math.max(...data.upper.map((x, k) => x - data.lower[k]), 0.1);
  const center = data.upper.map((x, k) => 0.5 * (x + data.lower[k]));
  // A link is as thick as suits the robot, not its way.
  const reach = data.links.flatMap((l) => l.segments).reduce((s, p) => s + Math.hypot(p[3] - p[0], p[4] - p[1], p[5] - p[2]), 0);
  const radius = Math.min(0.02 * size, Math.max(0.008 * reach, 0.002 * size));
  // The robot's weight is as long as the robot is large; what is much more is cut.
  const body = Math.min(size, 0.35 * reach);
  const forceScale = data.weight > 0 ? body / data.weight : 0;

  // The node before a time, and how far it is to the next one.
  const find = (t) => {
    let a = 0, b = data.time.length - 1;
    while (b - a > 1) {
      const m = (a + b) >> 1;
      if (data.time[m] <= t) a = m; else b = m;
    }
    const d = data.time[b] - data.time[a];
    return { a, b, s: d > 0 ? Math.min(1, Math.max(0, (t - data.time[a]) / d)) : 0 };
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
  const colors = { link: dark ? "#8fb7da" : "#41617f", joint: dark ? "#dfe7ee" : "#24303a", force: "#d9482b", target: "#2f9e5b", path: "#8a6fc9", grid: dark ? "#39424a" : "#c4ccd2", capsule: "#d99a2b" };

  // In three dimensions.
  const solid = () => {
    const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    const scene = new THREE.Scene();
    const camera = new THREE.PerspectiveCamera(40, 1, 0.01 * size, 100 * size);
    camera.up.set(0, 0, 1);
    const controls = new THREE.OrbitControls(camera, canvas);
    controls.target.set(...center);
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
    const ball = new THREE.SphereGeometry(1.35 * radius, 20, 14);
    const groups = data.links.map((l, k) => {
      const group = new THREE.Group();
      for (const [x0, y0, z0, x1, y1, z1] of l.segments) {
        const from = new THREE.Vector3(x0, y0, z0), to = new THREE.Vector3(x1, y1, z1);
        const way = to.clone().sub(from), length = way.length();
        const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(radius, length, 6, 14), link);
        mesh.position.copy(from).addScaledVector(way, 0.5);
        mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
        group.add(mesh);
      }
      if (k > 0) group.add(new THREE.Mesh(ball, joint));
      scene.add(group);
      return group;
    });
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
    let aspect = 0;
    const fit = () => {
      const w = canvas.clientWidth, h = canvas.clientHeight;
      if (!w || !h || (canvas.width === Math.floor(w * renderer.getPixelRatio()) && aspect === w / h)) return;
      renderer.setSize(w, h, false);
      if (!aspect) {
        // All of it, from the front, the right and above.
        const away = (0.5 * Math.hypot(...data.upper.map((x, k) => x - data.lower[k])) + 2 * radius) / Math.sin(Math.PI / 9) / Math.min(1, w / h);
        const d = [0.55, -0.78, 0.32];
        camera.position.set(...center.map((c, k) => c + (away * d[k]) / Math.hypot(...d)));
        controls.update();
      }
      aspect = w / h;
      camera.aspect = aspect;
      camera.updateProjectionMatrix();
    };
    const draw = (t) => {
      fit();
      const { a, b, s } = find(t);
      groups.forEach((group, k) => {
        const p = between(data.poses[a][k], data.poses[b][k], s);
        group.position.set(p[0], p[1], p[2]);
        group.quaternion.set(p[3], p[4], p[5], p[6]);
      });
      data.targets.forEach((target, k) => {
        const p = goalAt(target, t);
        goals[k].position.set(p[0], p[1], p[2]);
        goals[k].quaternion.set(p[3], p[4], p[5], p[6]);
      });
      const forces = data.forces[Math.min(a, data.forces.length - 1)] || [];
      arrows.forEach((x) => (x.visible = false));
      forces.forEach(({ at, force }, k) => {
        const way = new THREE.Vector3(...force), length = Math.min(way.length() * forceScale, 1.5 * body);
        if (length < radius) return;
        const x = arrow(k), tip = Math.min(3.5 * radius, 0.5 * length);
        x.visible = true;
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
      data.links.forEach((l, k) => {
        const pose = between(data.poses[a][k], data.poses[b][k], s);
        const world = (p) => rotate(p, pose).map((x, i) => x + pose[i]);
        l.segments.forEach((q) => stroke([world(q.slice(0, 3)), world(q.slice(3))], colors.link, Math.max(2 * ratio, 2 * radius * zoom)));
        data.capsules.forEach((c) => {
          if (c.link === k) stroke([world(c.from), world(c.to)], `${colors.capsule}59`, Math.max(2 * ratio, 2 * c.radius * zoom));
        });
        if (k > 0) dot(pose, colors.joint, Math.max(2.5 * ratio, 1.3 * radius * zoom));
      });
      (data.forces[Math.min(a, data.forces.length - 1)] || []).forEach(({ at, force }) => {
        stroke([at, at.map((x, k) => x + forceScale * force[k])], colors.force, 2 * ratio);
      });
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
    return { now: svg.querySelector(".now"), at: (t) => left + ((t - from) / (to - from)) * (right - left) };
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
      if (t >= end) {
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
  request();
})();
