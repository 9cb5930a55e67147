/** A program imported with `{ type: "text" }` is its text. */
declare module "*/program.js" {
	const text: string;
	export default text;
}
