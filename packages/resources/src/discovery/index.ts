/** The entry point `@tau/resources/discovery`. */
export { Switches } from "./switches.ts";
export type { Origin, Warning } from "./types.ts";
export { parseDocument, textField } from "./frontmatter.ts";
export { errorLine } from "./error-line.ts";
export { limits as discoveryLimits } from "./limits.ts";
export { DiscoveryRegistry, type Loaded, type Provider } from "./registry.ts";
export {
	type Capability,
	describeWarning,
	describeWarnings,
	type Discovered,
	type Findings,
	nothing,
	together,
} from "./types.ts";
export {
	entriesOf,
	infoOf,
	isInside,
	isLoop,
	kindOf,
	type Listed,
	listFiles,
	readText,
	realOf,
} from "./walk.ts";
