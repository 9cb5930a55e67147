/** Which paths are below others; by itself, because a start needs no more of profiles. */

export function isBelow(path: string, above: string): boolean {
	return path !== above && path.startsWith(above === "/" ? above : `${above}/`);
}
