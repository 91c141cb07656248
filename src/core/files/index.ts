export { IMAGE_BYTES, imageType, listFiles, readFile } from './look.ts'
export { rootOf } from './root.ts'
export { keepUpload } from './upload.ts'
