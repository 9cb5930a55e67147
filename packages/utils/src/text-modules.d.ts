/** Markdown, Python, Lua and scripts of shells imported with `{ type: "text" }` are strings. */
declare module "*.md" {
	const text: string;
	export default text;
}

declare module "*.py" {
	const text: string;
	export default text;
}

declare module "*.lua" {
	const text: string;
	export default text;
}

declare module "*.bash" {
	const text: string;
	export default text;
}

declare module "*.zsh" {
	const text: string;
	export default text;
}

declare module "*.fish" {
	const text: string;
	export default text;
}

/** A script for web pages. */
declare module "*/page-script.js" {
	const text: string;
	export default text;
}
