// The JavaScript that Emscripten makes beside the workbench's wasm (wasm/CMakeLists.txt).
declare module '*workbench-glue.js' {
  const create: () => Promise<unknown>;
  export default create;
}
