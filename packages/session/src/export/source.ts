/** The input of an export. */
import type { SessionEntry, SessionHeader, SessionManager } from "@tau/log";
import { wholeContent } from "./stored-result.ts";

export interface ExportSource {
	header: SessionHeader;
	name: string | undefined;
	/** The entries from the root to the leaf. */
	branch: readonly SessionEntry[];
	/** The full output of a tool whose result has only the text for the screen. */
	wholeOf: WholeOf;
}

/** Finds the output by the details of the result; returns undefined if the result is complete. */
export type WholeOf = (details: unknown) => unknown;

export function exportSource(session: SessionManager): ExportSource {
	return {
		header: session.getHeader(),
		name: session.getSessionName(),
		branch: session.getBranch(),
		wholeOf: (details) => wholeContent(details, session),
	};
}
