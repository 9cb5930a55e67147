/** `/remember`: proposes a line for AGENTS.md as a diff, which the user accepts or edits. */
import { join } from "node:path";

import { projectRoot } from "@tau/session/journal";
import { dirs, oneLine, shortenHome, stripControls } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

/** A longer line is a document; it belongs into a file of its own. */
const lineChars = 1_000;

export const remember: SlashCommand = {
	name: "remember",
	group: "Context",
	yieldsToPrompts: true,
	argumentHint: "<text>",
	takesText: true,
	description: "Add a line to AGENTS.md (shows the diff first)",
	details:
		"Proposes the text as a line at the end of the project's AGENTS.md, or of your own for all projects. Nothing is written before you say yes; /rewind takes it back.",
	async run(args, host) {
		let line = oneLine(stripControls(args), lineChars).trim();
		if (line === "") throw new Error("Usage: /remember <text>");
		const root = projectRoot(host.cwd, dirs().home) ?? host.cwd;
		const own = join(dirs().agent, "AGENTS.md");
		let path = join(root, "AGENTS.md");
		for (;;) {
			const change = await proposed(host, path, line);
			host.notify(change.diff);
			const other = path === own ? join(root, "AGENTS.md") : own;
			const choice = await host.ask.select(`Add this line to ${shortenHome(path)}?`, [
				{ value: "yes", label: "Add it" },
				{ value: "edit", label: "Edit it" },
				{ value: "other", label: `Use ${shortenHome(other)} instead` },
				{ value: "no", label: "Cancel" },
			]);
			if (choice === "yes") return await write(host, change);
			if (choice === "other") path = other;
			else if (choice === "edit") {
				const edited = await host.ask.input("The line", { initial: line });
				line = oneLine(stripControls(edited ?? line), lineChars).trim() || line;
			} else return host.notify("Nothing was written.");
		}
	},
};

interface Proposal {
	path: string;
	before: Extract<Awaited<ReturnType<InteractiveHost["env"]["machine"]["files"]["readText"]>>, { ok: true }>;
	text: string;
	diff: string;
}

async function proposed({ env }: InteractiveHost, path: string, line: string): Promise<Proposal> {
	const { everything, LineText, unifiedDiff } = await import("@tau/tools/files");
	const before = await env.machine.files.readText(shortenHome(path), path);
	if (!before.ok) throw new Error(before.reason);
	const old = before.text ?? "";
	const end = old.includes("\r\n") ? "\r\n" : "\n";
	const gap = old === "" || old.endsWith("\n") ? "" : end;
	const text = `${old}${gap}- ${line}${end}`;
	const [was, now] = [new LineText(old), new LineText(text)];
	const head = `--- ${before.text === undefined ? "/dev/null" : shortenHome(path)}\n+++ ${shortenHome(path)}`;
	return { path, before, text, diff: `${head}\n${unifiedDiff(was, now, everything(was, now)).diff}` };
}

/** The way in which tools write: recorded, and never over a change that was made meanwhile. */
async function write(host: InteractiveHost, { path, before, text }: Proposal): Promise<void> {
	const hasBom = before.text !== undefined && before.hasBom;
	const done = await host.env.machine.files.commit([{ before, after: { text, hasBom } }], {
		signal: new AbortController().signal,
	});
	if (!done.ok) throw new Error(`${done.reason} Nothing was written.`);
	host.notify(
		`Added to ${shortenHome(path)}. New sessions read it; /reload makes this one read it.`,
		"success",
	);
}
