/** The entry point `@tau/bundled`: extensions that come with Tau, and the demo model. */
export { loadDemo } from "./demo/load-demo.ts";
export { isDemo } from "./demo/model.ts";
export { condensedLook } from "./mu-look.ts";
export { type RunFacts, shippedExtensions } from "./table.ts";
