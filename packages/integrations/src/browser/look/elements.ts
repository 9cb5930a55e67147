/** The lines of a look: each element that can be used, with its number, role, name, value and state. */
import { oneLine } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Refs } from "./refs.ts";
import type { TreeNode } from "./tree.ts";

export interface ElementLine {
	readonly ref: number;
	readonly text: string;
	readonly role: string;
}

/** Roles that a user acts on, and how a look calls those that are Chrome's own. */
const controls: Readonly<Record<string, string>> = {
	button: "button",
	link: "link",
	textbox: "textbox",
	searchbox: "searchbox",
	combobox: "combobox",
	listbox: "listbox",
	option: "option",
	checkbox: "checkbox",
	radio: "radio",
	switch: "switch",
	slider: "slider",
	spinbutton: "spinbutton",
	menuitem: "menuitem",
	menuitemcheckbox: "menuitemcheckbox",
	menuitemradio: "menuitemradio",
	tab: "tab",
	treeitem: "treeitem",
	DisclosureTriangle: "summary",
	DisclosureTriangleGrouped: "summary",
	Date: "date",
	DateTime: "datetime",
	InputTime: "time",
	ColorWell: "color",
	Audio: "audio",
	Video: "video",
	Iframe: "frame",
};

/** Elements whose parts are not listed: a picker of dates has a spin button for each of its fields. */
const closed = new Set(["Date", "DateTime", "InputTime", "MenuListPopup", "Audio", "Video", "ColorWell"]);

/** Short words for what is true of an element; what is usual is left out. */
const states: readonly [property: string, value: unknown, word: string][] = [
	["disabled", true, "disabled"],
	["readonly", true, "readonly"],
	["required", true, "required"],
	["checked", "true", "checked"],
	["checked", "mixed", "mixed"],
	["pressed", "true", "pressed"],
	["pressed", "mixed", "mixed"],
	["expanded", true, "expanded"],
	["expanded", false, "collapsed"],
	["selected", true, "selected"],
	["invalid", "true", "invalid"],
];

/** In the order of the page; of links to one address, the one with the longest name. */
export function elementLines(roots: readonly TreeNode[], refs: Refs): ElementLine[] {
	const found: TreeNode[] = [];
	const known = new Map<string, number>();
	const add = (node: TreeNode): void => {
		const isFrame = node.role === "Iframe" && node.children.some(hasControl);
		if (isFrame || isControl(node)) {
			const url = linkOf(node);
			const at = url === undefined ? undefined : known.get(url);
			const other = at === undefined ? undefined : found[at];
			if (at === undefined || !other) {
				if (url !== undefined) known.set(url, found.length);
				found.push(node);
			} else if (nameOf(node).length > nameOf(other).length) found[at] = node;
		}
		if (!closed.has(node.role) && !isSelect(node)) for (const child of node.children) add(child);
	};
	for (const root of roots) add(root);
	return found.map((node) => lineOf(node, refs));
}

export function lineOf(node: TreeNode, refs: Refs): ElementLine {
	const role = roleOf(node);
	const ref = refs.of(node.frame, node.backendNodeId);
	const name = oneLine(nameOf(node), limits.nameChars);
	const value = valueOf(node);
	const words = [
		String(ref),
		// Most elements are links.
		...(role === "link" ? [] : [role]),
		name,
		...(value === "" ? [] : [`= ${oneLine(value, limits.valueChars)}`]),
		...statesOf(node),
		...(node.drag === undefined ? [] : [node.drag]),
	];
	return { ref, role, text: words.filter((word) => word !== "").join(" ") };
}

export function isControl(node: TreeNode): boolean {
	if (node.role === "Iframe") return false;
	if (node.role in controls || node.drag !== undefined) return true;
	if (node.isClickable) return nameOf(node) !== "" && !node.children.some(hasControl);
	if (isEditable(node)) return node.properties.get("focusable") === true;
	// An element that the keyboard reaches and that contains no other is a control of the page's own making.
	return (
		node.properties.get("focusable") === true &&
		!structure.has(node.role) &&
		nameOf(node) !== "" &&
		!node.children.some(hasControl)
	);
}

/** Containers that can be scrolled by the keyboard, and so are focusable. */
const structure = new Set(["RootWebArea", "Iframe", "StaticText", "main", "region", "article", "dialog"]);

function hasControl(node: TreeNode): boolean {
	return isControl(node) || node.children.some(hasControl);
}

/** What is typed into an element is its value, and not text of the page. */
export function isEditable({ properties }: TreeNode): boolean {
	return properties.has("editable") && properties.get("editable") !== "inherit";
}

/** A native list of choices, whose options are not worth a line each. */
export function isSelect({ role, children }: TreeNode): boolean {
	return role === "combobox" && children.some((child) => child.role === "MenuListPopup");
}

/** Roles that say nothing. */
const plain = new Set(["generic", "none"]);

function roleOf(node: TreeNode): string {
	const known = controls[node.role];
	if (known !== undefined) return known;
	if (isEditable(node)) return "textbox";
	const isUnnamed = node.isClickable || node.drag !== undefined || plain.has(node.role);
	return isUnnamed ? "item" : node.role;
}

/** The accessible name or, where the author gave none, the text inside or the end of the address. */
export function nameOf(node: TreeNode): string {
	if (node.name.trim() !== "") return node.name;
	const text = textBelow(node);
	if (text !== "") return text;
	const url = node.properties.get("url");
	return node.role === "link" && typeof url === "string" ? shortUrl(url) : "";
}

export function textBelow(node: TreeNode): string {
	if (node.role === "StaticText") return node.name;
	if (isEditable(node)) return "";
	let text = "";
	for (const child of node.children) {
		const more = textBelow(child).trim();
		if (more !== "") text = text === "" ? more : `${text} ${more}`;
		if (text.length > limits.textLineChars) break;
	}
	return text;
}

function shortUrl(url: string): string {
	const parsed = URL.parse(url);
	return parsed ? `${parsed.pathname}${parsed.search}`.slice(-limits.nameChars) : "";
}

function valueOf(node: TreeNode): string {
	if (isSelect(node)) {
		const options = node.children.flatMap((child) => child.children);
		return `${node.value} (${options.length} options)`;
	}
	return node.value === node.name ? "" : node.value;
}

function statesOf(node: TreeNode): string[] {
	const isPlain = isSelect(node);
	return states.flatMap(([property, value, word]) =>
		node.properties.get(property) === value && !(isPlain && property === "expanded") ? [word] : [],
	);
}

/** Where a link leads; undefined where its address says nothing about what a click does. */
function linkOf({ role, properties }: TreeNode): string | undefined {
	const url = role === "link" ? properties.get("url") : undefined;
	return typeof url === "string" && /^https?:/.test(url) && !url.endsWith("#") ? url : undefined;
}
