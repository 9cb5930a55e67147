/** Writes the session as a page, for a client that asks for it. */
import type { SessionManager } from "../log/index.ts";
import { UserError } from "../run/user-error.ts";

/** Gives the file. What is there under the name that the client chose stays; the page of this session is made anew. */
export async function exportHtml(log: SessionManager, outputPath: string | undefined): Promise<string> {
	// Text and a walk over the tree that few sessions ever need.
	const { exportSession } = await import("./export-session.ts");
	try {
		return await exportSession(log, {
			file: outputPath,
			format: "html",
			cwd: log.getCwd(),
			replace: outputPath === undefined,
		});
	} catch (error) {
		throw new UserError(error instanceof Error ? error.message : String(error));
	}
}
