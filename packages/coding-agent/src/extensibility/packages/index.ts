/** The door of packages: finding what is installed. What changes it is loaded by whoever needs it. */
export { findPackages } from "./find.ts";
export { openPackage, type FoundPackage } from "./found-package.ts";
export { packagedExtensions, type PackagedExtensions } from "./packaged-extensions.ts";
export type { Resource } from "./contents.ts";
