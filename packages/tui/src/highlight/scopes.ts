/** Maps the scopes of highlight.js to the colors of the theme. */
import type { ThemeColor } from "../theme/index.ts";

const colors: Readonly<Record<string, ThemeColor>> = {
	comment: "syntaxComment",
	quote: "syntaxComment",
	doctag: "syntaxComment",
	keyword: "syntaxKeyword",
	literal: "syntaxKeyword",
	section: "syntaxKeyword",
	"selector-tag": "syntaxKeyword",
	meta: "syntaxKeyword",
	name: "syntaxKeyword",
	title: "syntaxFunction",
	"title.class": "syntaxType",
	built_in: "syntaxFunction",
	"selector-class": "syntaxFunction",
	"selector-id": "syntaxFunction",
	variable: "syntaxVariable",
	params: "syntaxVariable",
	property: "syntaxVariable",
	attr: "syntaxVariable",
	attribute: "syntaxVariable",
	"template-variable": "syntaxVariable",
	subst: "syntaxVariable",
	string: "syntaxString",
	regexp: "syntaxString",
	char: "syntaxString",
	link: "syntaxString",
	code: "syntaxString",
	number: "syntaxNumber",
	symbol: "syntaxNumber",
	bullet: "syntaxNumber",
	type: "syntaxType",
	class: "syntaxType",
	"template-tag": "syntaxType",
	operator: "syntaxOperator",
	punctuation: "syntaxPunctuation",
	tag: "syntaxPunctuation",
	addition: "toolDiffAdded",
	deletion: "toolDiffRemoved",
};

/** By the name of a scope: `title.class.inherited` is a type, `title.function` a function. */
export function colorOfScope(scope: string): ThemeColor | undefined {
	const color = colors[scope];
	if (color !== undefined || !scope.includes(".")) return color;
	const [name = "", detail = ""] = scope.split(".");
	return colors[`${name}.${detail}`] ?? colors[name];
}
