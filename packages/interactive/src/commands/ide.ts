/** `/ide`: connects this terminal to an editor that has the project open, and shows what the editor knows. */
import { pathArgument, valueItems } from "@tau/session-commands";
import { plural } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import type { OfferedEditor } from "../ide/lock-files.ts";
import type { SlashCommand } from "./command.ts";
import details from "./ide.md" with { type: "text" };

const words = ["off", "diagnostics", "open"] as const;

export const ide: SlashCommand = {
	name: "ide",
	group: "Tools",
	argumentHint: "[off | diagnostics | open <file>]",
	description: "Connect to your editor: selection, diagnostics, diffs",
	details: details.trim(),
	words,
	complete: (prefix) =>
		valueItems(
			words.map((value) => ({ value })),
			prefix,
			undefined,
		),
	async run(args, host) {
		const [word = "", ...rest] = args.split(/\s+/);
		if (host.guest) throw new Error("The files of a shared session are on another machine.");
		if (word === "") return connect(host);
		if (word === "off")
			return host.notify(host.ide.disconnect() ? "Disconnected." : "No editor is connected.");
		const { link } = host.ide;
		if (!link) throw new Error("No editor is connected. /ide connects one.");
		if (word === "diagnostics") {
			const lines = await link.diagnostics(host.cwd);
			return host.notify(lines.join("\n") || `${link.name} has no diagnostics.`);
		}
		if (word !== "open" || rest.length === 0)
			throw new Error("Usage: /ide [off | diagnostics | open <file>]");
		await link.openFile(pathArgument(rest.join(" "), host.cwd));
	},
};

async function connect(host: InteractiveHost): Promise<void> {
	const { editorsFor, offeredEditors } = await import("../ide/lock-files.ts");
	const { editors, problems } = offeredEditors();
	for (const problem of problems) host.notify(problem, "warning");
	const here = editorsFor(host.cwd, editors);
	const editor = await choose(host, here);
	if (here.length === 0) throw new Error(noEditor(editors));
	if (!editor) return;
	const { name } = await host.ide.connect(editor);
	host.notify(`Connected to ${name}. @selection and @diagnostics attach what it has.`, "success");
}

async function choose(
	host: InteractiveHost,
	editors: readonly OfferedEditor[],
): Promise<OfferedEditor | undefined> {
	if (editors.length < 2) return editors[0];
	const choices = editors.map(({ name, port, folders }) => ({
		value: String(port),
		label: port === host.ide.link?.port ? `${name} (connected)` : name,
		description: folders.join(", "),
	}));
	const port = await host.ask.select("Which editor?", choices);
	return editors.find((editor) => String(editor.port) === port);
}

function noEditor(others: readonly OfferedEditor[]): string {
	if (others.length > 0)
		return `${plural(others.length, "editor")} found, but none has this directory open (${others.map(({ name, folders }) => `${name}: ${folders.join(", ")}`).join("; ")}).`;
	return "No editor found. Install the extension (docs/ide.md) and open this directory in the editor.";
}
