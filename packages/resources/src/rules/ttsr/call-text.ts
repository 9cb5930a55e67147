/** The text of a call that rules are matched against: the source that it writes, else its arguments, and its files. */
import { builtinTool } from "@tau/integrations/builtin";
import type { SourceArguments } from "@tau/tools/tool";

import { ArgumentText, type ArgumentReader } from "./argument-text.ts";
import { limits } from "./limits.ts";

const pathKeys: ReadonlySet<string> = new Set([
	"path",
	"paths",
	"file",
	"file_path",
	"filePath",
	"notebook_path",
]);
const patchFile = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;
const patchMove = /^\*\*\* Move to: (.+)$/;

export class CallText implements ArgumentReader {
	/** The files named so far. */
	readonly paths: string[] = [];
	readonly #arguments = new ArgumentText(this);
	readonly #source: SourceArguments | undefined;
	/** The text since the last check. */
	#fresh = "";
	#path = "";
	/** The incomplete last line of a patch. */
	#line = "";

	constructor(tool: string) {
		this.#source = builtinTool(tool)?.source;
	}

	/** Whether the call writes source, whose structure can be matched. */
	get isSource(): boolean {
		return this.#source !== undefined;
	}

	/** Returns what the delta has added. */
	push(delta: string): string {
		this.#arguments.push(delta);
		const fresh = this.#fresh;
		this.#fresh = "";
		return fresh;
	}

	json(text: string): void {
		if (!this.#source) this.#fresh += text;
	}

	value(key: string, text: string): void {
		if (pathKeys.has(key)) {
			if (this.#path.length < limits.pathChars) this.#path += text;
		} else if (this.#source?.patch?.includes(key)) this.#patch(text);
		else if (this.#source?.text.includes(key)) this.#fresh += text;
	}

	valueEnd(key: string): void {
		if (pathKeys.has(key)) this.paths.push(this.#path);
		else if (this.#source?.patch?.includes(key)) this.#patch("\n");
		else if (this.#source?.text.includes(key)) this.#fresh += "\n";
		this.#path = "";
	}

	/** The lines that a patch adds. */
	#patch(text: string): void {
		const lines = (this.#line + text).split("\n");
		this.#line = lines.pop() ?? "";
		for (const line of lines) {
			const path = (patchFile.exec(line) ?? patchMove.exec(line))?.[1];
			if (path !== undefined) this.paths.push(path.trim());
			else if (line.startsWith("+")) this.#fresh += `${line.slice(1)}\n`;
		}
	}
}

/** The files that a complete call names. */
export function pathsOf(tool: string, args: Readonly<Record<string, unknown>>): readonly string[] {
	const text = new CallText(tool);
	text.push(JSON.stringify(args));
	return text.paths;
}
