/** The entry point `@tau/interactive/first-run`. */
export { offer, type OverlayHost } from "./offer.ts";
export { askProjectKey } from "./project-key.ts";
export { TrustDialog } from "./project-trust.ts";
export { demoNotice, wizard } from "./wizard.ts";
