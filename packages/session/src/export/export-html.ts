/** Writes the session as an HTML page for a client that requests it. */
import type { SessionManager } from "@tau/log";
import { UserError } from "../run/user-error.ts";

/** Returns the file. A file chosen by the client is not overwritten; the default page of this session is. */
export async function exportHtml(log: SessionManager, outputPath: string | undefined): Promise<string> {
	// The import is lazy: few sessions ever need the exporter.
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
