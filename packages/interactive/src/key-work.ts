/** Does what the keys ask for that takes more than a word: another model, another editor, an image. */
import type { Editor, Marker } from "@tau/tui";

import { isRecord, log } from "@tau/utils";
import { approvalModes, type Entry } from "@tau/wire";

import type { ActionParts } from "./actions.ts";
import { editOutside } from "./external-editor.ts";
import type { StatusModel } from "./status-model.ts";
import type { InteractiveHost } from "./host.ts";
import type { Images } from "./images.ts";
import type { Prompting } from "./prompting.ts";
import type { Screen } from "./screen.ts";

/** The list of tool results, unless the user has disabled it. */
const viewerCommand = "mu-tools";

export interface KeyWorkParts {
	host: InteractiveHost;
	screen: Screen;
	status: StatusModel;
	images: Images;
	prompting: Pick<Prompting, "dequeueLast" | "stop">;
	/** Sends what is written when the answer is finished. */
	followUp(): void;
	runCommand(name: string): boolean;
	/** Saves the text of the stashed draft. */
	keepStash(text: string): void;
}

export function actionParts(parts: KeyWorkParts): ActionParts {
	const { host, screen, status, prompting } = parts;
	const stash = new DraftStash();
	return {
		editor: host.editor,
		now: () => screen.animation.now(),
		stop: () => prompting.stop(),
		doubleEscape: () => doubleEscape(parts),
		leave: () => host.leave(),
		background: () => background(parts),
		stashDraft: () => stash.toggle(parts),
		suspend: () => host.tui.suspend(),
		redraw: () => screen.redrawAll(),
		editOutside: () => void host.editor.openExternalEditor(),
		pasteImage: () => void pasteImage(parts),
		followUp: () => parts.followUp(),
		dequeueLast: () => prompting.dequeueLast(),
		toggleTools: () => toggleTools(parts),
		toggleThinking: () => {
			host.showThinking = !host.showThinking;
			status.flash(`thinking: ${host.showThinking ? "shown" : "hidden"}`);
		},
		cycleThinking: () => void cycleThinking(parts),
		cycleApproval: () => cycleApproval(parts),
		cycleModel: (step) => void changeModel(parts, step),
		answerOffer: (isAccepted) => screen.offer.answer(isAccepted),
		runCommand: (name) => parts.runCommand(name),
		hint: (text) => status.flash(text),
	};
}

/** For `Editor.onExternalEditor`: the terminal is the other program's until it ends. */
export async function writeOutside(host: InteractiveHost, text: string): Promise<string | undefined> {
	const edited = await host.tui.lend(() => editOutside(text, process.env));
	if (!edited.ok) host.notify(edited.message, "error");
	return edited.ok ? edited.text : undefined;
}

/** Where the last turn has nothing more to show, results of earlier turns are in the viewer. */
function toggleTools({ host, status, runCommand }: KeyWorkParts): void {
	const isViewed = !host.expandTools && !host.isBusy && !host.canExpandTools();
	const hasResults = host.client.view.tail.entries.some(isToolResult);
	const hasViewer = host.commands.all.some(({ name }) => name === viewerCommand);
	if (isViewed && hasResults && hasViewer) return void runCommand(viewerCommand);
	host.expandTools = !host.expandTools;
	status.flash(`tool output: ${host.expandTools ? "shown" : "condensed"}`);
}

function isToolResult({ message }: Entry): boolean {
	return isRecord(message) && message.role === "toolResult";
}

function doubleEscape({ host, runCommand }: KeyWorkParts): void {
	const action = host.settings.get("doubleEscape");
	// Guests press it to interrupt, and may only look at the tree.
	if (action !== "none" && (!host.guest || action === "tree")) runCommand(action);
}

interface StashedDraft {
	/** With the labels of the markers. */
	text: string;
	markers: Marker[];
}

/** One draft that waits while another prompt is written. */
class DraftStash {
	#draft: StashedDraft | undefined;

	/** With text in the editor it is put aside, and what was aside comes back. */
	toggle({ host: { editor }, status, keepStash }: KeyWorkParts): boolean {
		const draft = { text: editor.getText(), markers: editor.getMarkers() };
		const before = this.#draft;
		if (draft.text === "" && !before) return false;
		this.#draft = draft.text === "" ? undefined : draft;
		// A crash must not take it.
		keepStash(this.#draft ? editor.getExpandedText() : "");
		write(editor, before);
		status.flash(this.#draft ? "draft stashed; ctrl+s brings it back" : "draft restored");
		return true;
	}
}

/** Markers are inserted again as markers, each in its place. */
function write(editor: Editor, draft: StashedDraft = { text: "", markers: [] }): void {
	let rest = draft.text;
	editor.setText("");
	for (const marker of draft.markers) {
		const label = `[${marker.label}]`;
		const [before = ""] = rest.split(label, 1);
		rest = rest.slice(before.length + label.length);
		if (before !== "") editor.insertTextAtCursor(before);
		editor.insertMarker(marker);
	}
	if (rest !== "") editor.insertTextAtCursor(rest);
}

/** Returns whether something runs that may be moved. */
function background({ host, screen, status }: KeyWorkParts): boolean {
	if (screen.status.awaitedMs() === undefined) return false;
	void attempt(host, "Nothing was moved to the background", async () => {
		const { jobs } = await host.client.request("background_bash", {});
		if (jobs.length === 0) return;
		status.flash(`${jobs.length === 1 ? "job" : "jobs"} ${jobs.join(", ")} in the background; see /jobs`);
	});
	return true;
}

async function pasteImage({ host, status, images }: KeyWorkParts): Promise<void> {
	const marker = await images.fromClipboard();
	// The remedy needs more text than the footer has space for.
	if (typeof marker === "string") host.notify(marker, "warning");
	else {
		host.editor.insertMarker(marker);
		const { id, input } = host.client.view.facts.model;
		const isDescribed = host.settings.get("modelRoles").vision !== undefined;
		if (!input.includes("image") && !isDescribed) status.flash(`${id} does not support images; see /model`);
	}
	host.tui.requestRender();
}

async function cycleThinking({ host, status }: KeyWorkParts): Promise<void> {
	await attempt(host, "The thinking level was not changed", async () => {
		const next = await host.client.request("cycle_thinking_level", {});
		if (next) status.flash(`thinking: ${next.level}`);
		else status.flash(`${host.client.view.facts.model.id} does not support thinking`);
	});
}

/** `full` is among them once the user has said yes to it, as `/mode full` asks. */
function cycleApproval({ host, status }: KeyWorkParts): void {
	const { approvals } = host.client.view.facts;
	if (!approvals) return;
	const modes = approvalModes.filter((mode) => mode !== "full" || host.mayBeFull);
	const next = modes[(modes.indexOf(approvals.mode) + 1) % modes.length] ?? "ask";
	void host.setApprovalMode(next);
	status.flash(`approvals: ${next}`);
}

async function changeModel({ host, status }: KeyWorkParts, step: 1 | -1): Promise<void> {
	await attempt(host, "The model was not changed", async () => {
		const direction = step === 1 ? "forward" : "backward";
		const next = await host.client.request("cycle_model", { direction });
		if (!next) status.flash("no other model to switch to");
	});
}

async function attempt(
	host: Pick<InteractiveHost, "notify">,
	what: string,
	work: () => Promise<void>,
): Promise<void> {
	try {
		await work();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		log.error(what, { reason });
		host.notify(`${what}: ${reason}`, "error");
	}
}
