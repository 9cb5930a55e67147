/** A library that is imported as a file is the path to it. */
declare module "*.so" {
	const path: string;
	export default path;
}
