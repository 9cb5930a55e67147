/** What a page says: its text in lines, its outline, and everything inside of one element. */
import { oneLine, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";
import { isControl, isEditable, isSelect, lineOf, nameOf, textBelow } from "./elements.ts";
import type { Refs } from "./refs.ts";
import type { TreeNode } from "./tree.ts";

/** Parts of a line of text; everything else begins a new one. */
const inline = new Set([
	"link",
	"strong",
	"emphasis",
	"code",
	"mark",
	"superscript",
	"subscript",
	"Abbr",
	"time",
	"LabelText",
	"insertion",
	"deletion",
	"StaticText",
	"Ruby",
	"ListMarker",
]);

/** Bounded: a page may be as long as it likes. */
export function textLines(roots: readonly TreeNode[], most: number = limits.textLines): string[] {
	const lines: string[] = [];
	let line = "";
	const flush = (): void => {
		const text = oneLine(line, limits.textLineChars);
		if (text !== "" && lines.length < most) lines.push(text);
		line = "";
	};
	const add = (node: TreeNode): void => {
		if (lines.length >= most) return;
		if (node.role === "StaticText") {
			line += node.name;
			return;
		}
		if (node.role === "LineBreak") return flush();
		const isInline = inline.has(node.role);
		if (!isInline) flush();
		else if (node.role !== "StaticText" && line !== "" && !line.endsWith(" ")) line += " ";
		if (!isSelect(node) && !isEditable(node)) for (const child of node.children) add(child);
		if (!isInline) flush();
	};
	for (const root of roots) add(root);
	flush();
	return lines;
}

const landmarks = new Set([
	"banner",
	"navigation",
	"main",
	"complementary",
	"contentinfo",
	"search",
	"form",
	"region",
	"dialog",
	"alertdialog",
	"article",
	"table",
	"grid",
	"tree",
	"Iframe",
]);

/** Headings and parts, indented by their level; a number is for the view region. */
export function outlineLines(roots: readonly TreeNode[], refs: Refs): string[] {
	const lines: string[] = [];
	const add = (node: TreeNode, depth: number): void => {
		const indent = "  ".repeat(Math.min(depth, 6));
		let below = depth;
		if (node.role === "heading") {
			const level = Number(node.properties.get("level") ?? 1);
			const ref = refs.of(node.frame, node.backendNodeId);
			lines.push(`${indent}${ref} h${level} ${oneLine(nameOf(node), limits.valueChars)}`);
		} else if (landmarks.has(node.role)) {
			const counts = countControls(node);
			const name = oneLine(node.name, limits.nameChars);
			const ref = refs.of(node.frame, node.backendNodeId);
			const role = node.role === "Iframe" ? "frame" : node.role;
			lines.push(`${indent}${ref} ${[role, name].filter(Boolean).join(" ")} (${counts} controls)`);
			below++;
		}
		for (const child of node.children) add(child, below);
	};
	for (const root of roots) add(root, 0);
	return lines;
}

function countControls(node: TreeNode): number {
	return node.children.reduce((sum, child) => sum + countControls(child), isControl(node) ? 1 : 0);
}

/** Everything inside of an element: controls with numbers, texts without. */
export function regionLines(node: TreeNode, refs: Refs): string[] {
	const lines: string[] = [];
	const add = (each: TreeNode): void => {
		if (lines.length >= limits.textLines) return;
		if (each.role === "option" || (isControl(each) && !each.children.some(hasOwn))) {
			lines.push(lineOf(each, refs).text);
			if (isSelect(each)) for (const popup of each.children) popup.children.forEach(add);
			return;
		}
		if (each.role === "heading") {
			lines.push(`# ${oneLine(textBelow(each) || each.name, limits.textLineChars)}`);
			if (!each.children.some(hasOwn)) return;
		}
		const isText = each.children.length > 0 && each.children.every((child) => isPlain(child));
		if (isText) {
			const text = oneLine(textBelow(each), limits.textLineChars);
			if (text !== "" && each.role !== "heading") lines.push(text);
			return;
		}
		if (each.role === "StaticText") lines.push(oneLine(each.name, limits.textLineChars));
		else if (each.role === "image" && each.name !== "")
			lines.push(`image ${oneLine(each.name, limits.nameChars)}`);
		each.children.forEach(add);
	};
	add(node);
	return lines.map((line) => stripControls(line)).filter((line) => line !== "");
}

function isPlain(node: TreeNode): boolean {
	return (
		node.role === "StaticText" || (inline.has(node.role) && !isControl(node) && !node.children.some(hasOwn))
	);
}

function hasOwn(node: TreeNode): boolean {
	return isControl(node) || node.children.some(hasOwn);
}

/** The node of an element, wherever in the tree it is. */
export function findNode(
	roots: readonly TreeNode[],
	isWanted: (node: TreeNode) => boolean,
): TreeNode | undefined {
	for (const root of roots) {
		const found = isWanted(root) ? root : findNode(root.children, isWanted);
		if (found) return found;
	}
	return undefined;
}
