/** The editor that VISUAL or EDITOR names: a text is changed in it, or a file opened at a line. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { type Env, hostSearchPath, temporaryDirectory, withoutProviderKeys } from "@tau/utils";

type Opened = { ok: true } | { ok: false; message: string };
type Edited = { ok: true; text: string | undefined } | { ok: false; message: string };

/**
 * Opens the text in the user's editor. The TUI must have released the terminal. The result has no text if the user did
 * not change it.
 */
export async function editOutside(text: string, env: Env): Promise<Edited> {
	const directory = temporaryDirectory("edit");
	const file = join(directory, "prompt.md");
	try {
		writeFileSync(file, text, { mode: 0o600 });
		const opened = await run([file], env);
		if (!opened.ok) return { ok: false, message: `${opened.message} The text is unchanged.` };
		const edited = readFileSync(file, "utf8");
		return { ok: true, text: edited === text ? undefined : edited };
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** Opens a file at a line, where the editor has a known way to say it. The TUI must have released the terminal. */
export async function openAt(file: string, line: number, env: Env): Promise<Opened> {
	return await run(placeArguments(programOf(env), file, line), env);
}

function programOf(env: Env): string {
	return env.VISUAL || env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
}

async function run(args: readonly string[], env: Env): Promise<Opened> {
	const program = programOf(env);
	try {
		// The variable may hold arguments ("code --wait"), so a shell splits it.
		const command =
			process.platform === "win32" ? [program, ...args] : ["/bin/sh", "-c", `${program} "$@"`, "sh", ...args];
		const child = Bun.spawn(command, {
			stdio: ["inherit", "inherit", "inherit"],
			// An editor of the project, which a command may have replaced, does not run.
			env: { ...withoutProviderKeys(env), PATH: hostSearchPath(env.PATH) },
		});
		const code = await child.exited;
		return code === 0 ? { ok: true } : { ok: false, message: `${program} exited with code ${code}.` };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { ok: false, message: `Cannot start ${program}: ${reason}. Set VISUAL or EDITOR.` };
	}
}

type Form = (file: string, line: number) => string[];

/** How editors are told a line, by the names of their programs. */
const forms = new Map<string, Form>(
	Object.entries<Form>({
		"code code-insiders codium vscodium cursor windsurf positron": (file, line) => [
			"--goto",
			`${file}:${line}`,
		],
		"subl sublime_text zed zeditor hx helix lapce": (file, line) => [`${file}:${line}`],
		"mate kate kwrite idea webstorm pycharm goland clion rubymine phpstorm rider rustrover": (file, line) => [
			"--line",
			`${line}`,
			file,
		],
		"vi vim nvim view gvim mvim ex vis kak nano pico micro joe ne mg jed mcedit emacs emacsclient gedit bbedit":
			(file, line) => [`+${line}`, file],
	}).flatMap(([names, form]) => names.split(" ").map((name) => [name, form] as const)),
);

/** The arguments that make the program of EDITOR show a line; only the file where its form is not known. */
export function placeArguments(program: string, file: string, line: number): string[] {
	const [word = ""] = program.trim().split(/\s+/);
	const name = basename(word.replaceAll(/["']/g, ""))
		.replace(/\.(?:exe|cmd|sh)$/i, "")
		.toLowerCase();
	const form = forms.get(name);
	return form && Number.isSafeInteger(line) && line > 0 ? form(file, line) : [file];
}
