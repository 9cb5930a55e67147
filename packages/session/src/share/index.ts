/** Shares: a session as a link that others open, or as one page. */
export { documentPage } from "../export/document-page.ts";
export { listShares, shownIdChars, type ShareRecord } from "./ledger.ts";
export { keepShare, readShare } from "./read.ts";
export { findShare, removeShare } from "./remove.ts";
export type { PreparedShare } from "./prepare.ts";
export {
	describeShare,
	destinationOf,
	prepare,
	send,
	type Destination,
	type ShareOutcome,
} from "./share-session.ts";
