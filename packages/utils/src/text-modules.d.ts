/** Markdown and Python imported with `{ type: "text" }` are strings. */
declare module "*.md" {
	const text: string;
	export default text;
}

declare module "*.py" {
	const text: string;
	export default text;
}
