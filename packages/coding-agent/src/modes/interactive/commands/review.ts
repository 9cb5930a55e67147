/** `/review`: an agent reviews changes; each finding leads to its place. */
import type { InteractiveHost } from "../host.ts";
import type { Finding } from "../../shared/review.ts";
import type { SlashCommand } from "./command.ts";
import { whileLoading } from "./loading.ts";

export const review: SlashCommand = {
	name: "review",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[branch | commit | #pr]",
	description: "Let an agent review your changes",
	details:
		"Without an argument it reviews what is not committed; a branch means everything since it, #7 the pull request (needs gh). Choose a finding to put its place into the prompt.",
	async run(args, host) {
		const shared = await import("../../shared/review.ts");
		const found = await whileLoading(host, "Reviewing", (signal) =>
			shared.review({
				env: host.env,
				gitEnv: process.env,
				isTrusted: host.isTrusted,
				what: args.trim(),
				signal,
			}),
		);
		if (!found) return host.notify("The review was stopped.", "info");
		host.notify(shared.reviewLines(found).join("\n"), found.verdict === "approve" ? "success" : "info");
		await offer(host, found.findings, shared.findingLine);
	},
};

/** The place of the chosen finding is attached to the next prompt. */
async function offer(
	host: InteractiveHost,
	findings: readonly Finding[],
	line: (finding: Finding) => string,
): Promise<void> {
	if (findings.length === 0) return;
	const choices = findings.map((finding, at) => ({
		value: String(at),
		label: line(finding),
		description: finding.reason,
	}));
	const chosen = await host.ask.select("Findings (Enter puts one into the prompt)", choices);
	const finding = chosen === undefined ? undefined : findings[Number(chosen)];
	if (!finding) return;
	const { file, line: at, reason } = finding;
	host.editor.setText(`@${file}:${Math.max(1, at - 5)}-${at + 5} Fix this: ${reason}`);
}
