/** What an export is made from. */
import type { SessionEntry, SessionHeader, SessionManager, SessionTreeNode } from "../log/index.ts";
import { wholeContent } from "./stored-result.ts";

export interface ExportSource {
	header: SessionHeader;
	name: string | undefined;
	/** From the root to the leaf. */
	branch: readonly SessionEntry[];
	tree: readonly SessionTreeNode[];
	/** What a tool gave, where its result has only what stands for it on the screen. */
	wholeOf: WholeOf;
}

/** By the details of the result; nothing where the result is whole. */
export type WholeOf = (details: unknown) => unknown;

export function exportSource(session: SessionManager): ExportSource {
	return {
		header: session.getHeader(),
		name: session.getSessionName(),
		branch: session.getBranch(),
		tree: session.getTree(),
		wholeOf: (details) => wholeContent(details, session),
	};
}
