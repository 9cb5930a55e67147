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
import { onScreen } from "./on-screen.ts";

export const review = onScreen(row, (reply, host) => {
	drawReply(reply, host);
	const { findings } = (reply.data ?? { findings: [] }) as Pick<Review, "findings">;
	if (findings.length > 0) showFindings(host, findings);
});

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
			fix: ({ file, line, reason }) =>
				host.editor.setText(`@${file}:${Math.max(1, line - 5)}-${line + 5} Fix this: ${reason}`),
			close,
		});
		return { component };
	});
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
