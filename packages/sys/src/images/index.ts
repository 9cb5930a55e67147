/** Images in formats that models accept. */
export type { ConvertedImage, ImageTarget } from "./convert.ts";
export { fit, type FittedImage, type ImageLimits, type ImageRefusal } from "./fit.ts";
export { identifyImage, type ImageInfo, type ImageType } from "./identify.ts";
