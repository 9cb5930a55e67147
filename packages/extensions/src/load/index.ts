/** The entry point `@tau/extensions/load`. */
export {
	type DiscoverRequest,
	type Discovery,
	type FoundExtension,
	type ShippedExtension,
	discoverExtensions,
} from "./discover.ts";
