/** The few words that the codecs themselves say to a model. */
import imageBelow from "./image-below.md" with { type: "text" };
import imageLeftOut from "./image-left-out.md" with { type: "text" };
import neverRan from "./never-ran.md" with { type: "text" };
import noOutput from "./no-output.md" with { type: "text" };

export const notes = {
	imageBelow: imageBelow.trim(),
	imageLeftOut: imageLeftOut.trim(),
	neverRan: neverRan.trim(),
	noOutput: noOutput.trim(),
} as const;
