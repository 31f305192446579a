// The JavaScript that Emscripten makes beside the wasm (wasm/CMakeLists.txt).
declare module '*-glue.js' {
  const createCore: import('./core.js').Glue;
  export default createCore;
}
