/** The entry point `@tau/ai/broker`: what keeps credentials, and what lends them. */
export { brokerAccess } from "./access.ts";
export { staysLocal } from "./borrowed-vault.ts";
export { BrokerClient, BrokerError } from "./client.ts";
export {
	fingerprint,
	fromWire,
	readSnapshot,
	refreshSentinel,
	toEntry,
	toReport,
	toWire,
	wireId,
	type DisabledEntry,
	type Snapshot,
	type SnapshotEntry,
	type UsageReport,
	type WireEntry,
} from "./wire.ts";
export { findFlow, type OAuthFlow } from "../oauth/index.ts";
export { Renewals } from "../renewal.ts";
export type { StoredCredential } from "../types.ts";
export { Vault } from "../vault.ts";
