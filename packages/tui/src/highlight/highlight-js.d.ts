/**
 * What we use of highlight.js. Its own types bring the types of a browser into every file of the house, so nothing
 * here may name the package itself.
 */
declare module "highlight.js/lib/languages/*" {
	const define: (engine: unknown) => object;
	export default define;
}
