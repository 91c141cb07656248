export { IMAGE_BYTES, imageType, showFile, showFolder } from './look.ts'
export { rootOf } from './root.ts'
export { keepUpload } from './upload.ts'
