/** What lets extensions written for pi and omp run. */
export { setApplication, type Application } from "./application.ts";
export { screenTheme, useScreenTheme } from "./support/screen-theme.ts";
export { virtualModules } from "./virtual-modules.ts";
