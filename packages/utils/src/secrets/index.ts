/** Finds and masks secrets in what others will read: shares, cassettes, bug reports. */
export { findSecrets, maskFindings, type Finding } from "./find.ts";
export { knownSecrets, nothingKnown, type KnownSecrets } from "./known.ts";
export { maskValue, type FoundSecret, type MaskResult } from "./mask-value.ts";
