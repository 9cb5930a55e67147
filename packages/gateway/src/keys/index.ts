/** The public interface of keys. */
export {
	Keys,
	mayUse,
	ownerId,
	type Admission,
	type KeyRights,
	type KeySummary,
	type MostUse,
} from "./keys.ts";
export type { Amounts, KeyRow, Ledger } from "./ledger.ts";
export { readRights, type RightsText } from "./read-rights.ts";
export { RedisLedger } from "./redis-ledger.ts";
export { ledgerPath, SqliteLedger } from "./sqlite-ledger.ts";
