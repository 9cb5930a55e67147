/** A script imported with `{ type: "text" }` is its text. */
declare module "*.sh" {
	const text: string;
	export default text;
}
