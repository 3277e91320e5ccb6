import http from 'node:http'

const PORT = 8080

export const start = () => http.createServer(handle).listen(PORT)

function handle(request, response) {
  response.end(request.url)
  // console.log('hello')
}

start()
