/**
 * The part of highlight.js that we use. Its own types bring browser types into every file of the repository, so
 * nothing here may name the package itself.
 */
declare module "highlight.js/lib/languages/*" {
	const define: (engine: unknown) => object;
	export default define;
}
