/** `/tree`: goes on from any entry of the session, in the same file. */
import { navigation, type Navigation } from "../selectors/tree/navigate.ts";
import { TreeSelector } from "../selectors/tree/selector.ts";
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";
import { summarizing } from "./summarizing.ts";
import { keepTools } from "./tool-choice.ts";

type Move = Extract<Navigation, { kind: "move" }>;

/** `back` returns to the tree. */
type Summary = { summary?: { text: string; details: unknown } } | "back";

export const tree: SlashCommand = {
	name: "tree",
	description: "Walk through the tree of the session, and go on from anywhere",
	run: (_, host) => openTree(host),
};

export function openTree(host: InteractiveHost, selected?: string): void {
	openSelector(host, (screen, close) => {
		const selector = new TreeSelector(screen, {
			log: host.log,
			filter: host.settings.get("treeFilterMode"),
			...(selected === undefined ? {} : { selected }),
			setLabel: (id, label) => void host.log.appendLabelChange(id, label),
			onChoose: (id, leafId) => {
				close();
				return choose(host, id, leafId);
			},
			close,
		});
		return { component: selector.component, owns: selector };
	});
}

async function choose(host: InteractiveHost, id: string, leafId: string | null): Promise<void> {
	try {
		const step = navigation(host.log, id, leafId);
		if (step.kind === "stay") return host.notify("Already at this point.");
		const wish = await summaryOf(host, step);
		if (wish === "back") return openTree(host, id);
		await go(host, step, wish.summary);
	} catch (error) {
		// The list is closed by now: the transcript is where it is seen.
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

async function go(
	host: InteractiveHost,
	{ to, prefill }: Move,
	summary: { text: string; details: unknown } | undefined,
): Promise<void> {
	const tools = keepTools(host.session);
	await host.replaceSession(() => {
		const { log } = host;
		if (summary) log.branchWithSummary(to, summary.text, summary.details);
		else if (to === null) log.resetLeaf();
		else log.branch(to);
	});
	tools(host.session);
	if (prefill === undefined) return;
	host.editor.setText(prefill);
	host.tui.requestRender();
}

/** Asks whether the branch that is left is summed up, where the person wants to be asked and there is something. */
async function summaryOf(host: InteractiveHost, { left }: Move): Promise<Summary> {
	if (!host.settings.get("branchSummary.enabled") || !left.some(({ type }) => type === "message")) return {};
	for (;;) {
		const wish = await host.ask.select("Sum up the branch that you leave?", [
			{ value: "no", label: "No summary" },
			{ value: "yes", label: "Summarize" },
			{ value: "custom", label: "Summarize with custom prompt" },
		]);
		if (wish === undefined) return "back";
		if (wish === "no") return {};
		const instructions =
			wish === "custom" ? await host.ask.input("What should the summary be about?") : undefined;
		if (wish === "custom" && instructions === undefined) continue;
		const made = await summarizing(host, left, instructions);
		if (made === "stopped") return "back";
		return made ? { summary: { text: made.summary, details: made.details } } : {};
	}
}
