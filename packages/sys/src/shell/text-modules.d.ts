/** A script imported with `{ type: "text" }` is a string. */
declare module "*.sh" {
	const text: string;
	export default text;
}

declare module "*.pl" {
	const text: string;
	export default text;
}
