/** `/review`: an agent reviews changes; each finding leads to its place. */
import { existsSync, readFileSync, statSync } from "node:fs";

import { cutUnits } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import { reviewSelector, type NumberedLine } from "../selectors/review/selector.ts";
import type { Finding } from "../../../session-commands/work/review.ts";
import { plural } from "../views/format.ts";
import type { SlashCommand } from "./command.ts";
import { mayRunGit } from "./git-trust.ts";
import { whileLoading } from "./loading.ts";

export const review: SlashCommand = {
	name: "review",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[branch | commit | #pr]",
	description: "Let an agent review your changes",
	details:
		"Without an argument it reviews what is not committed; a branch means everything since it, #7 the pull request (needs gh). Enter opens the place of a finding in your editor ($VISUAL or $EDITOR), Ctrl+F puts it into the prompt.",
	async run(args, host) {
		const shared = await import("../../../session-commands/work/review.ts");
		const what = args.trim();
		await host.sessionHost.policy?.settle();
		const needsGit = !host.isTrusted && shared.needsTrust(host.sessionHost.policy?.boundary, what);
		if (needsGit && !(await mayRunGit(host, "/review"))) return host.notify("Nothing was reviewed.", "info");
		const found = await whileLoading(host, "Reviewing", (signal, say) =>
			shared.review({
				env: host.env,
				gitEnv: process.env,
				isTrusted: host.isTrusted || needsGit,
				what,
				onChange: (files) => say(`Reviewing ${plural(files, "file")}`),
				signal,
			}),
		);
		if (!found) return host.notify("The review was stopped.", "info");
		host.notify(shared.reviewLines(found).join("\n"), found.verdict === "approve" ? "success" : "info");
		if (found.findings.length > 0) showFindings(host, found.findings);
	},
};

function showFindings(host: InteractiveHost, findings: readonly Finding[]): void {
	const read = (finding: Finding) => linesAround(host.env.resolve(finding.file), finding.line);
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
	const path = host.env.resolve(file);
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
