/** The entry point of model discovery. */
export { checkKey, type KeyCheck } from "./check-key.ts";
export { DiscoveryCache } from "./cache.ts";
export { discover, type DiscoveredServer } from "./discover.ts";
export { discoveryTargets, localTargets, targetOf } from "./target.ts";
