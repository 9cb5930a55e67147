/** `/review`: the findings of a review; each leads to its place. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

import { cutUnits } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import { reviewSelector, type NumberedLine } from "../selectors/review/selector.ts";
import { review as row } from "@tau/session-commands/rows";
import type { Finding, Review } from "@tau/session-commands/work";
import { drawReply } from "../run-row.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

/** Those of the last review, for a user who was typing when they came. */
const latest = new WeakMap<InteractiveHost, readonly Finding[]>();

const run = onScreen(row, (reply, host) => {
	drawReply(reply, host);
	const { findings } = (reply.data ?? { findings: [] }) as Pick<Review, "findings">;
	if (findings.length === 0) return;
	latest.set(host, findings);
	if (host.editor.getText() === "" && !host.isTaken) showFindings(host, findings);
	else host.notify("/review findings opens the list.", "info");
});

export const review: SlashCommand = {
	...run,
	words: [...(run.words ?? []), "findings"],
	run(args, host) {
		const findings = args.trim() === "findings" ? latest.get(host) : undefined;
		if (findings) return showFindings(host, findings);
		if (args.trim() === "findings") return host.notify("No findings yet. /review looks for some.", "info");
		return run.run(args, host);
	},
};

function showFindings(host: InteractiveHost, findings: readonly Finding[]): void {
	const read = (finding: Finding) => linesAround(resolve(host.cwd, finding.file), finding.line);
	const lines = new Map(findings.map((finding) => [finding, read(finding)]));
	openSelector(host, (screen, close) => {
		const component = reviewSelector(screen, {
			findings,
			lines: (finding) => lines.get(finding),
			open: async (finding) => {
				await openPlace(host, finding);
				lines.set(finding, read(finding));
				component.refresh();
			},
			fix: (finding) => host.editor.setText(`${placeOf(finding)} Fix this: ${finding.reason}`),
			fixAll: () => host.editor.setText(["Fix these:", ...findings.map(fixLine)].join("\n")),
			close,
		});
		return { component };
	});
}

/** The lines around a finding, as a mention that attaches them. */
function placeOf({ file, line }: Finding): string {
	return `@${file}:${Math.max(1, line - 5)}-${line + 5}`;
}

function fixLine(finding: Finding): string {
	const suggestion = finding.suggestion ? ` (${finding.suggestion})` : "";
	return `- ${placeOf(finding)} ${finding.reason}${suggestion}`;
}

/** The list stays open: a review has several findings. */
async function openPlace(host: InteractiveHost, { file, line }: Finding): Promise<void> {
	const path = resolve(host.cwd, file);
	if (!existsSync(path)) return host.notify(`There is no file ${file}.`, "warning");
	const { openAt } = await import("../external-editor.ts");
	const opened = await host.tui.lend(() => openAt(path, line, process.env));
	if (!opened.ok) host.notify(opened.message, "error");
}

function linesAround(path: string, line: number): NumberedLine[] | undefined {
	try {
		if (statSync(path).size > limits.findingBytes) return undefined;
		const all = readFileSync(path, "utf8").split("\n");
		const from = Math.max(1, line - limits.findingContext);
		return all.slice(from - 1, line + limits.findingContext).map((text, at) => ({
			number: from + at,
			text: cutUnits(text.replaceAll("\t", "  "), limits.findingChars),
		}));
	} catch {
		// It is gone, or is no file that can be read.
		return undefined;
	}
}
