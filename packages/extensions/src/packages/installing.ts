/** The entry point of what fetches and changes packages: a start does not load it. */
export {
	type ChangeOptions,
	type Installed,
	type Updated,
	type PackageRequest,
	changePackage,
	installPackages,
	uninstallPackages,
	updatePackages,
} from "./change.ts";
export { type Check, examinePackages } from "./doctor.ts";
export { chooseFeatures } from "./install/stage.ts";
export { sourceInMarket } from "./marketplace.ts";
export { temporaryExtensions } from "./temporary-package.ts";
export { bundledResources } from "./bundled-resources.ts";
