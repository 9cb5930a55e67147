/** Images are read with this: a module of its own, because every start imports the rest of @tau/sys. */
export { fitImage, identifyImage } from "@tau/sys";
