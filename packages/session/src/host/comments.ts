/** Comments: notes for people on an entry of the session. They are in the log and on every screen, and never in a request. */
import { stripControls } from "@tau/utils";
import { commentType, type ClientInfo } from "@tau/wire";

import { UserError } from "../run/user-error.ts";
import { limits } from "./limits.ts";
import type { SessionHost } from "./session-host.ts";

export interface NewComment {
	readonly text: string;
	/** What it is about; the end of the branch without it. */
	readonly entryId?: string | undefined;
}

/** Throws why it cannot be added. */
export async function addComment(
	host: Pick<SessionHost, "log" | "emit">,
	{ text, entryId }: NewComment,
	by: ClientInfo | undefined,
): Promise<void> {
	const comment = stripControls(text).trim();
	if (comment === "") throw new UserError("A comment has a text.");
	if (comment.length > limits.commentChars)
		throw new UserError(`A comment has at most ${limits.commentChars} characters.`);
	const on = entryId ?? host.log.getLeafId();
	if (on === null || !host.log.getEntry(on))
		throw new UserError("There is nothing to comment on yet, or not at that entry.");
	const name = by?.name ?? "owner";
	host.log.appendCustomEntry(commentType, { on, text: comment, by: name });
	await host.emit({ type: "comment_added", entryId: on, text: comment, by: name });
}
