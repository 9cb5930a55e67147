/** What a user does with pointer and keyboard. */
import type { KeyInput } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import type { Tab } from "../page/tab.ts";
import type { ToolContext } from "@tau/tools/tool";
import type { Arguments } from "../parameters.ts";
import { inFrame, onElement } from "../page/in-page.ts";
import { elementOf, placeOf, pointOf } from "./element.ts";

export type Act = (tab: Tab, args: Arguments, context: ToolContext) => Promise<void>;

export async function click(tab: Tab, { ref, count = 1, right = false }: Arguments): Promise<void> {
	const point = await pointOf(tab, needed(ref, "ref"), true);
	if (!point) return;
	const { x, y } = point;
	const { mouse } = tab.page;
	// Not one after the other: a move waits for the next frame, which a press does not.
	const moved = mouse.move(x, y);
	const times = Math.min(Math.max(1, Math.round(count)), limits.clicks);
	const clicked = mouse.click(x, y, { count: times, button: right ? "right" : "left" });
	await Promise.all([moved, clicked]);
}

export async function hover(tab: Tab, { ref }: Arguments): Promise<void> {
	const { x, y } = await placeOf(tab, needed(ref, "ref"));
	await tab.page.mouse.move(x, y);
}

export async function drag(tab: Tab, { ref, to }: Arguments): Promise<void> {
	const start = await placeOf(tab, needed(ref, "ref"));
	const { mouse } = tab.page;
	await mouse.move(start.x, start.y);
	await mouse.down();
	try {
		const end = await placeOf(tab, needed(to, "to"));
		await mouse.move(end.x, end.y, { steps: limits.dragSteps });
	} finally {
		await mouse.up();
	}
}

export async function type(tab: Tab, { ref, text }: Arguments): Promise<void> {
	const wanted = needed(text, "text");
	if (wanted.length > limits.typedChars)
		throw new Error(`At most ${limits.typedChars} characters can be typed. Use fill.`);
	if (ref !== undefined) await focus(tab, ref);
	await tab.page.keyboard.type(wanted);
}

export async function press(tab: Tab, { ref, key }: Arguments): Promise<void> {
	if (ref !== undefined) await focus(tab, ref);
	// The key of a combination may be + itself.
	const keys = needed(key, "key").split(/(?<=[^+])\+/);
	const { keyboard } = tab.page;
	const last = keys.pop() ?? "";
	for (const each of keys) await keyboard.down(named(each));
	try {
		await keyboard.press(named(last));
	} finally {
		for (const each of keys.toReversed()) await keyboard.up(named(each));
	}
}

async function focus(tab: Tab, ref: number): Promise<void> {
	await onElement(await elementOf(tab, ref), tab.refs.target(ref).frame, "focus");
}

/** Puppeteer rejects what is not a key. */
function named(key: string): KeyInput {
	const short: Readonly<Record<string, KeyInput>> = {
		ctrl: "Control",
		cmd: "Meta",
		esc: "Escape",
		space: "Space",
		up: "ArrowUp",
		down: "ArrowDown",
		left: "ArrowLeft",
		right: "ArrowRight",
	};
	return short[key.toLowerCase()] ?? (key as KeyInput);
}

export async function fill(tab: Tab, { ref, text, fields = {} }: Arguments): Promise<void> {
	const all = Object.entries(fields).map(([key, value]) => [Number(key), value] as const);
	if (all.length > limits.fields) throw new Error(`At most ${limits.fields} fields at once.`);
	if (all.some(([key]) => !Number.isInteger(key))) throw new Error("The keys of fields are refs.");
	if (ref !== undefined) all.unshift([ref, needed(text, "text")]);
	if (all.length === 0) throw new Error("fill needs ref and text, or fields.");
	for (const [each, value] of all) await fillOne(tab, each, value);
}

async function fillOne(tab: Tab, ref: number, value: string): Promise<void> {
	const element = await elementOf(tab, ref);
	const { frame } = tab.refs.target(ref);
	const way = await tab.within(onElement(element, frame, "prepareField", value));
	if (way.problem !== undefined) throw new Error(`Element ${ref} ${way.problem}.`);
	if (way.isDone) return;
	if (value === "") await tab.page.keyboard.press("Delete");
	else await frame.client.send("Input.insertText", { text: value });
	await onElement(element, frame, "changed");
}

export async function select(tab: Tab, { ref, values, text }: Arguments): Promise<void> {
	const wanted = values ?? (text === undefined ? [] : [text]);
	const known = needed(ref, "ref");
	const element = await elementOf(tab, known);
	const problem = await tab.within(onElement(element, tab.refs.target(known).frame, "choose", wanted));
	if (problem !== "") throw new Error(`Element ${ref} ${problem}`);
}

export async function scroll(tab: Tab, { ref, by }: Arguments): Promise<void> {
	if (ref === undefined) await tab.within(inFrame(tab.page.mainFrame(), "scroll", by ?? null));
	else {
		const element = await elementOf(tab, ref);
		await tab.within(onElement(element, tab.refs.target(ref).frame, "scroll", by ?? null));
	}
}

/** Into a field for files, or by the button that asks for them. */
export async function upload(tab: Tab, args: Arguments, context: ToolContext): Promise<void> {
	const { ref, paths = [] } = args;
	const files = paths.map((path) => context.resolve(path));
	if (files.length === 0 || files.length > limits.uploads)
		throw new Error(`upload needs 1 to ${limits.uploads} paths.`);
	for (const [at, file] of files.entries())
		if ((await context.machine.files.stat(file).catch(() => undefined))?.kind !== "file")
			throw new Error(`There is no file ${paths[at]}.`);
	const element = await elementOf(tab, needed(ref, "ref"));
	const { frame, backendNodeId } = tab.refs.target(needed(ref, "ref"));
	const isField = await onElement(element, frame, "isFileField");
	if (isField) {
		await frame.client.send("DOM.setFileInputFiles", { files, backendNodeId });
		return;
	}
	const { client } = tab.page.mainFrame();
	const opened = Promise.withResolvers<number | undefined>();
	client.once("Page.fileChooserOpened", (event) => opened.resolve(event.backendNodeId));
	await client.send("Page.setInterceptFileChooserDialog", { enabled: true });
	try {
		await click(tab, args);
		const node = await tab.within(opened.promise, limits.settleMs).catch(() => undefined);
		if (node === undefined) throw new Error(`Element ${ref} asks for no files.`);
		await client.send("DOM.setFileInputFiles", { files, backendNodeId: node });
	} finally {
		await client.send("Page.setInterceptFileChooserDialog", { enabled: false });
	}
}

export function needed<T>(value: T | undefined, name: string): T {
	if (value === undefined) throw new Error(`This action needs ${name}.`);
	return value;
}
