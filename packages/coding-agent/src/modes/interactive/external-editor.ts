/** Lets the user write in the editor that the environment names. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory, type Env } from "@tau/utils";

export type Edited = { ok: true; text: string | undefined } | { ok: false; message: string };

/** The terminal must be free while this runs. Gives nothing when the text was left as it is. */
export async function editOutside(text: string, env: Env): Promise<Edited> {
	const program = env.VISUAL || env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
	const directory = temporaryDirectory("edit");
	const file = join(directory, "prompt.md");
	try {
		writeFileSync(file, text, { mode: 0o600 });
		// The variable may hold arguments ("code --wait"), so a shell takes it apart.
		const command =
			process.platform === "win32" ? [program, file] : ["sh", "-c", `${program} "$1"`, "sh", file];
		const child = Bun.spawn(command, { stdio: ["inherit", "inherit", "inherit"] });
		const code = await child.exited;
		if (code !== 0)
			return { ok: false, message: `${program} exited with code ${code}. The text is unchanged.` };
		const edited = readFileSync(file, "utf8");
		return { ok: true, text: edited === text ? undefined : edited };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { ok: false, message: `Cannot start ${program}: ${reason}. Set VISUAL or EDITOR.` };
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}
