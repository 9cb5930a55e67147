/** Data imported with `{ type: "file" }` is the path that it can be read from, also inside the executable. */
declare module "*.hex" {
	const path: string;
	export default path;
}
