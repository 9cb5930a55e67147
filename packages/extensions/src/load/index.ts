/** The entry point `@tau/extensions/load`. */
export {
	type DiscoverRequest,
	type Discovery,
	type DiscoveredExtension,
	type ShippedExtension,
	discoverExtensions,
} from "./discover.ts";
