/** `tau setup acp`: prints how each editor starts Tau as its agent, and writes it if the user agrees. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { shortenHome } from "@tau/utils";

import { ownProgram } from "@tau/server/local/own-program";
import type { Args } from "../../args.ts";
import { confirm } from "../../confirm.ts";
import { exitCodes } from "../../exit-codes.ts";
import { onInterrupt } from "../../signals.ts";
import { printed } from "../sessions/output.ts";
import { editors, type Editor } from "./editor-files.ts";

export async function setUpEditors(args: Args): Promise<number> {
	const home = process.env.HOME ?? homedir();
	if (args.flags.has("remove")) return removeFromEditors(home, args);
	const [command = "tau", ...rest] = ownProgram();
	const start = { command, args: [...rest, "acp"] };
	const blocks = editors.map(
		(editor) => `${editor.name} (${shortenHome(fileOf(editor, home))}):\n\n${editor.text(start)}`,
	);
	await printed(
		`${blocks.join("\n")}\nOther editors: start the command ${[command, ...start.args].join(" ")}\n`,
	);
	for (const editor of editors) {
		if (!editor.directories.some((directory) => existsSync(join(home, directory)))) continue;
		const path = fileOf(editor, home);
		const added = editor.add(textOf(path), start);
		if (added === undefined) continue;
		if (!(await isWanted(`Add Tau to ${shortenHome(path)} for ${editor.name}?`, args))) continue;
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, added);
		await printed(`Added to ${shortenHome(path)}. tau setup acp --remove undoes it.\n`);
	}
	return exitCodes.answered;
}

async function removeFromEditors(home: string, args: Args): Promise<number> {
	for (const editor of editors) {
		const path = fileOf(editor, home);
		const rest = editor.remove(textOf(path));
		if (rest === undefined) continue;
		if (!(await isWanted(`Remove Tau from ${shortenHome(path)}?`, args))) continue;
		if (rest === "") rmSync(path);
		else writeFileSync(path, rest);
		await printed(`Removed from ${shortenHome(path)}.\n`);
	}
	return exitCodes.answered;
}

function fileOf({ files }: Editor, home: string): string {
	const [last = files[0]] = files.toReversed();
	return join(home, files.find((file) => existsSync(join(home, file))) ?? last);
}

function textOf(path: string): string {
	return existsSync(path) ? readFileSync(path, "utf8") : "";
}

async function isWanted(question: string, { flags }: Args): Promise<boolean> {
	if (flags.has("yes")) return true;
	if (!process.stdin.isTTY) return false;
	using interruption = onInterrupt();
	return await confirm(question, interruption.signal);
}
