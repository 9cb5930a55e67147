/** Markdown imported with `{ type: "text" }` is a string. */
declare module "*.md" {
	const text: string;
	export default text;
}
