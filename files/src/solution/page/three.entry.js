// What the page takes of three.js 0.187.0. From a folder with `npm install three@0.187.0 esbuild@0.28.2`:
//   npx esbuild three.entry.js --bundle --minify --format=iife --global-name=THREE --target=es2020 --legal-comments=none --outfile=three.min.js
// and the licence of three.js is put before it.
export {
  AxesHelper, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, DirectionalLight, Float32BufferAttribute, GridHelper,
  Group, HemisphereLight, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, PerspectiveCamera, Scene, SphereGeometry, Vector3,
  WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
